// Copying, also after a request that took a while, and on pages without TLS.

/** Copies a text that may still have to arrive. Rejects if it does not arrive, or the browser refuses. */
export async function copy(text: string | Promise<string>): Promise<void> {
  if (navigator.clipboard && typeof ClipboardItem !== 'undefined') {
    // Safari accepts what arrives later only in this form.
    const blob = Promise.resolve(text).then((value) => new Blob([value], { type: 'text/plain' }));
    try {
      return await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
    } catch {
      return navigator.clipboard.writeText(await text);
    }
  }
  const area = document.createElement('textarea');
  area.value = await text;
  document.body.append(area);
  const focused = document.activeElement as HTMLElement | null;
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  focused?.focus();
  if (!isCopied) throw new Error('the browser does not copy');
}
