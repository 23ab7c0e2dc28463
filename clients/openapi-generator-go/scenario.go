// The scenario of docs/contributing/generated-clients.md with the Go package that openapi-generator
// generates. TERSE_URL is the address of the server, TERSE_KEY an API key, TERSE_LIMITED_KEY one whose
// owner may send one request per minute.
package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"log"
	"net/http"
	"os"
	"strconv"

	"example.org/acme/terse"
)

const destination = "https://example.org/spring?utm_source=mail"

// The client sends the key of the context as X-API-Key.
func contextWith(key string) context.Context {
	keys := map[string]terse.APIKey{"ApiKeyAuth": {Key: key}}
	return context.WithValue(context.Background(), terse.ContextAPIKeys, keys)
}

func check(holds bool, what string, value interface{}) {
	if !holds {
		log.Fatalf("%s: %+v", what, value)
	}
}

func must[T any](value T, _ *http.Response, err error) T {
	check(err == nil, "an error", err)
	return value
}

// An error is a GenericOpenAPIError whose model is the problem.
func problemOf[T any](_ T, response *http.Response, err error) terse.Problem {
	var failure *terse.GenericOpenAPIError
	check(errors.As(err, &failure), "no error", response)
	problem, isProblem := failure.Model().(terse.Problem)
	check(isProblem, "no problem", failure)
	check(int(problem.Status) == response.StatusCode, "status", problem)
	check(problem.RequestId == response.Header.Get("X-Request-Id"), "request_id", problem)
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	check(problem.Status != 429 || seconds > 0, "Retry-After", response)
	return problem
}

func checkProblem(problem terse.Problem, status int32, code string) {
	check(problem.Status == status && problem.Code == code, code, problem)
}

func randomCode() string {
	random := make([]byte, 8)
	_, err := rand.Read(random)
	check(err == nil, "randomness", err)
	return "go-" + hex.EncodeToString(random)
}

func visit(url string) *http.Response {
	visitor := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	response, err := visitor.Get(url)
	check(err == nil, "a visit", err)
	return response
}

func main() {
	configuration := terse.NewConfiguration()
	configuration.Servers = terse.ServerConfigurations{{URL: os.Getenv("TERSE_URL")}}
	client := terse.NewAPIClient(configuration)
	links, qrCodes := client.LinksAPI, client.QRCodesAPI
	me := contextWith(os.Getenv("TERSE_KEY"))

	request := terse.NewShortenRequest(destination)
	request.SetTitle("Spring catalogue")
	request.SetCampaign("spring")
	created := must(links.Shorten(me).ShortenRequest(*request).Execute())
	check(created.DestinationUrl == destination && len(created.ShortCode) == 7, "created", created)

	code := randomCode()
	withCode := terse.NewShortenRequest(destination)
	withCode.SetCustomCode(code)
	custom := must(links.Shorten(me).ShortenRequest(*withCode).Execute())
	check(custom.ShortUrl == os.Getenv("TERSE_URL")+"/"+code, "custom", custom)

	listed := must(links.ListLinks(me).Limit(2).Execute()).Data
	check(len(listed) == 2 && listed[0].ShortCode == code, "newest first", listed)
	check(!listed[0].Campaign.IsSet() || listed[0].Campaign.Get() == nil, "no campaign", listed)
	check(listed[1].ShortCode == created.ShortCode, "older", listed)
	check(*listed[1].Campaign.Get() == "spring" && listed[1].Clicks == 0, "older", listed)

	redirect := visit(created.ShortUrl)
	check(redirect.StatusCode == 302, "redirect", redirect)
	check(redirect.Header.Get("Location") == destination, "redirect", redirect)
	stats := must(links.GetStats(me, created.ShortCode).Execute()).Data
	check(stats.Clicks == 1 && stats.IsActive == 1, "stats", stats)

	drawing := terse.NewQrCodeRequest(code)
	drawing.SetErrorCorrection("Q")
	drawing.SetMargin(2)
	enabled := must(qrCodes.EnableQrCode(me).QrCodeRequest(*drawing).Execute())
	check(enabled.HasQr == 1, "enabled", enabled)
	withQr := must(qrCodes.ListQrCodes(me).Execute()).Data
	check(withQr[0].ShortCode == code && withQr[0].Title.Get() == nil, "listed", withQr)

	stranger := contextWith("terse_unknownunknownunknown1")
	checkProblem(problemOf(links.ListLinks(stranger).Execute()), 401, "unauthorized")
	checkProblem(problemOf(links.GetStats(me, "unknown").Execute()), 404, "link-not-found")
	checkProblem(problemOf(links.Shorten(me).ShortenRequest(*withCode).Execute()), 409, "code-in-use")
	bad := terse.NewShortenRequest("example.org")
	invalid := problemOf(links.Shorten(me).ShortenRequest(*bad).Execute())
	checkProblem(invalid, 422, "invalid-input")
	check(len(invalid.Errors) == 1 && invalid.Errors[0].GetPointer() == "/url", "pointers", invalid)

	limited := contextWith(os.Getenv("TERSE_LIMITED_KEY"))
	must(links.ListLinks(limited).Execute())
	checkProblem(problemOf(links.ListLinks(limited).Execute()), 429, "rate-limited")
}
