// The document names the service's public address. Requests from this page go to the server that the
// page came from, which may be reached under another name.
SwaggerUIBundle({
  dom_id: '#ui',
  url: '/openapi.json',
  deepLinking: true,
  validatorUrl: null,
  requestInterceptor: (request) => {
    const url = new URL(request.url, window.location.href);
    request.url = window.location.origin + url.pathname + url.search;
    return request;
  },
});
