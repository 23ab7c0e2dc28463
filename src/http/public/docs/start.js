// The documents name the service's public address. Requests from this page go to the server that sent
// the page, which the reader may have reached under another name.
const choice = document.getElementById('document');
const ui = SwaggerUIBundle({
  dom_id: '#ui',
  url: choice.value,
  deepLinking: true,
  persistAuthorization: true,
  validatorUrl: null,
  requestInterceptor: (request) => {
    const url = new URL(request.url, window.location.href);
    request.url = window.location.origin + url.pathname + url.search;
    return request;
  },
});
choice.addEventListener('change', () => {
  ui.specActions.updateUrl(choice.value);
  ui.specActions.download(choice.value);
});
