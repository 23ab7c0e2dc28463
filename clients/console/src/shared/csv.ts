// Comma-separated values (RFC 4180), read with tabs and semicolons too.

/** Returns rows as CSV. */
export function toCsv(rows: (string | number | null)[][]): string {
  const quote = (value: string) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  return rows.map((row) => `${row.map((value) => quote(String(value ?? ''))).join(',')}\r\n`).join('');
}

/** Returns the rows of a text, without empty ones. */
export function fromCsv(text: string): string[][] {
  const first = text.split('\n', 1)[0] ?? '';
  const separator = first.includes('\t') ? '\t' : first.includes(';') && !first.includes(',') ? ';' : ',';
  const rows: string[][] = [[]];
  let field = '';
  let isQuoted = false;
  const endField = () => {
    rows.at(-1)?.push(field.trim());
    field = '';
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isQuoted) {
      if (character !== '"') field += character;
      else if (text[at + 1] === '"') field += text[at++];
      else isQuoted = false;
    } else if (character === '"' && field.trim() === '') {
      isQuoted = true;
      field = '';
    } else if (character === separator) {
      endField();
    } else if (character === '\n') {
      endField();
      rows.push([]);
    } else {
      field += character;
    }
  }
  endField();
  return rows.filter((row) => row.some(Boolean));
}

/** Lets the visitor save a file. */
export function download(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Lets the visitor save rows as CSV, in an encoding that spreadsheets recognise. */
export const downloadCsv = (name: string, rows: (string | number | null)[][]): void =>
  download(name, new Blob(['\ufeff', toCsv(rows)], { type: 'text/csv;charset=utf-8' }));
