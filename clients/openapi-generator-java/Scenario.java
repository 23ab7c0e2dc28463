// The scenario of docs/contributing/generated-clients.md with the classes that openapi-generator generates
// (java, native). TERSE_URL is the address of the server, TERSE_KEY an API key, TERSE_LIMITED_KEY one whose
// owner may send one request per minute.

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.random.RandomGenerator;
import terse.ApiClient;
import terse.ApiException;
import terse.api.LinksApi;
import terse.api.QrCodesApi;
import terse.model.FieldError;
import terse.model.Problem;
import terse.model.QrCodeRequest;
import terse.model.ShortenRequest;

public class Scenario {
  private static final String URL = System.getenv("TERSE_URL");
  private static final String DESTINATION = "https://example.org/spring?utm_source=mail";

  /** Returns a client whose interceptor sends the key, because the generated code sends none. */
  private static ApiClient clientWith(String key) {
    var client = new ApiClient();
    client.updateBaseUri(URL);
    client.setRequestInterceptor(request -> request.header("X-API-Key", key));
    return client;
  }

  private static void check(boolean holds, Object what) {
    if (!holds) throw new AssertionError(what);
  }

  /** Returns the problem, which is the JSON body of the response in the exception. */
  private static Problem problemOf(Callable<?> request) throws Exception {
    Object result;
    try {
      result = request.call();
    } catch (ApiException error) {
      var problem =
          ApiClient.createDefaultObjectMapper().readValue(error.getResponseBody(), Problem.class);
      check(problem.getStatus() == error.getCode(), problem);
      var id = error.getResponseHeaders().firstValue("X-Request-Id").orElseThrow();
      check(id.equals(problem.getRequestId()), problem);
      var seconds = error.getResponseHeaders().firstValueAsLong("Retry-After").orElse(0);
      check(problem.getStatus() != 429 || seconds > 0, error);
      return problem;
    }
    throw new AssertionError(result);
  }

  private static void checkProblem(Problem problem, int status, String code) {
    check(problem.getStatus() == status && problem.getCode().equals(code), problem);
  }

  private static HttpResponse<Void> visit(String url) throws Exception {
    var visitor = HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NEVER).build();
    var request = HttpRequest.newBuilder(URI.create(url)).build();
    return visitor.send(request, HttpResponse.BodyHandlers.discarding());
  }

  public static void main(String[] arguments) throws Exception {
    var client = clientWith(System.getenv("TERSE_KEY"));
    var links = new LinksApi(client);
    var qrCodes = new QrCodesApi(client);

    var request =
        new ShortenRequest()
            .url(DESTINATION)
            .title("Spring catalogue")
            .campaign("spring");
    var created = links.shorten(request, null);
    check(created.getDestinationUrl().equals(DESTINATION), created);
    check(created.getShortCode().length() == 7, created);

    var random = new byte[8];
    RandomGenerator.of("SecureRandom").nextBytes(random);
    var code = "java-" + HexFormat.of().formatHex(random);
    var withCode = new ShortenRequest().url(DESTINATION).customCode(code);
    var custom = links.shorten(withCode, null);
    check(custom.getShortUrl().equals(URL + "/" + code), custom);

    var listed = links.listLinks(2, null, null, null).getData();
    check(listed.get(0).getShortCode().equals(code), listed);
    check(listed.get(0).getCampaign() == null, listed);
    check(listed.get(1).getShortCode().equals(created.getShortCode()), listed);
    check(listed.get(1).getCampaign().equals("spring"), listed);
    check(listed.get(1).getClicks() == 0, listed);

    var redirect = visit(created.getShortUrl());
    check(redirect.statusCode() == 302, redirect);
    check(redirect.headers().firstValue("Location").orElseThrow().equals(DESTINATION), redirect);
    var stats = links.getStats(created.getShortCode()).getData();
    check(stats.getClicks() == 1 && stats.getIsActive() == 1, stats);

    var enabled =
        qrCodes.enableQrCode(
            new QrCodeRequest()
                .shortCode(code)
                .errorCorrection(QrCodeRequest.ErrorCorrectionEnum.Q)
                .margin(2),
            null);
    check(enabled.getHasQr() == 1, enabled);
    var withQr = qrCodes.listQrCodes(null, null, null, null).getData().get(0);
    check(withQr.getShortCode().equals(code) && Objects.isNull(withQr.getTitle()), withQr);

    var stranger = new LinksApi(clientWith("terse_unknownunknownunknown1"));
    checkProblem(problemOf(() -> stranger.listLinks(null, null, null, null)), 401, "unauthorized");
    checkProblem(problemOf(() -> links.getStats("unknown")), 404, "link-not-found");
    checkProblem(problemOf(() -> links.shorten(withCode, null)), 409, "code-in-use");
    var bad = new ShortenRequest().url("example.org");
    var invalid = problemOf(() -> links.shorten(bad, null));
    checkProblem(invalid, 422, "invalid-input");
    var pointers = invalid.getErrors().stream().map(FieldError::getPointer).toList();
    check(pointers.equals(List.of("/url")), invalid);

    var limited = new LinksApi(clientWith(System.getenv("TERSE_LIMITED_KEY")));
    limited.listLinks(null, null, null, null);
    checkProblem(problemOf(() -> limited.listLinks(null, null, null, null)), 429, "rate-limited");
  }
}
