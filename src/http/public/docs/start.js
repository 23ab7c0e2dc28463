// The address names the interface, so that history and bookmarks keep it.
const choice = document.getElementById('interface');
const wanted = () => {
  const name = new URLSearchParams(window.location.search).get('interface');
  return [...choice.options].find((option) => option.value === name) ?? choice.options[0];
};
const select = (option) => {
  option.selected = true;
  document.title = `Terse · ${option.text}`;
  return option.dataset.document;
};

// An operation has many responses with the same problems, which are only read when one of them occurs.
const FoldedProblems = ({ React }) => ({
  wrapComponents: {
    response: (Response) => (props) => {
      const [isOpen, setOpen] = React.useState(props.code < '400');
      if (isOpen) return React.createElement(Response, props);
      const text = { source: props.response.get('description') };
      const description = React.createElement(props.getComponent('Markdown', true), text);
      const button = { className: 'folded', title: 'Show this response', onClick: () => setOpen(true) };
      return React.createElement(
        'tr',
        { className: 'response', 'data-code': props.code },
        React.createElement('td', { className: 'response-col_status' }, props.code),
        React.createElement('td', { colSpan: 2 }, React.createElement('button', button, description)),
      );
    },
  },
});

// The documents name the service's public address. Requests from this page go to the server that sent
// the page, which the reader may have reached under another name.
const ui = SwaggerUIBundle({
  dom_id: '#ui',
  url: select(wanted()),
  plugins: [FoldedProblems],
  deepLinking: true,
  persistAuthorization: true,
  validatorUrl: null,
  requestInterceptor: (request) => {
    const url = new URL(request.url, window.location.href);
    request.url = window.location.origin + url.pathname + url.search;
    return request;
  },
});
const show = (url) => {
  if (ui.specSelectors.url() === url) return;
  ui.specActions.updateUrl(url);
  ui.specActions.download(url);
};
choice.addEventListener('change', () => {
  window.history.pushState(null, '', `?interface=${choice.value}`);
  show(select(choice.selectedOptions[0]));
});
window.addEventListener('popstate', () => show(select(wanted())));
