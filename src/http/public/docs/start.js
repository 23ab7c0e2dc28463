// The document names the service's public address. Requests from this page go to the server that the
// page came from, which may be reached under another name.
//
// Swagger UI fills examples of parameters in: whoever tries a list would get some campaign's part of
// it, and each request but the first would be refused under the example's idempotency key. Here they
// are told instead.
const toldExamples = (document) => {
  const told = structuredClone(document);
  const operations = Object.values(told.paths ?? {}).flatMap((path) => Object.values(path));
  for (const parameter of operations.flatMap((operation) => operation.parameters ?? [])) {
    if (parameter.example === undefined) continue;
    parameter.description += ` Example: \`${parameter.example}\``;
    delete parameter.example;
  }
  return told;
};

const TellExamples = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update) => (document) => update(toldExamples(document)),
      },
    },
  },
});

SwaggerUIBundle({
  dom_id: '#ui',
  url: '/openapi.json',
  deepLinking: true,
  validatorUrl: null,
  plugins: [TellExamples],
  requestInterceptor: (request) => {
    const url = new URL(request.url, window.location.href);
    request.url = window.location.origin + url.pathname + url.search;
    return request;
  },
});
