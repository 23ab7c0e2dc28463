// The document names the service's public address. Requests from this page go to the server that sent
// the page, which the reader may have reached under another name.
SwaggerUIBundle({
  dom_id: '#ui',
  url: '/openapi.json',
  deepLinking: true,
  persistAuthorization: true,
  validatorUrl: null,
  requestInterceptor: (request) => {
    const url = new URL(request.url, window.location.href);
    request.url = window.location.origin + url.pathname + url.search;
    return request;
  },
});
