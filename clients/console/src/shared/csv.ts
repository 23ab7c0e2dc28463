// Comma-separated values (RFC 4180), read with tabs and semicolons too.

/** Returns rows as CSV. */
export function toCsv(rows: (string | number | null)[][]): string {
  const quote = (value: string) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  return rows.map((row) => `${row.map((value) => quote(String(value ?? ''))).join(',')}\r\n`).join('');
}

/** A row, and the number of the line of the text in which it begins. */
export interface CsvRow {
  line: number;
  cells: string[];
}

/** Returns the rows of a text, without empty ones. */
export function fromCsv(text: string): CsvRow[] {
  const first = text.split('\n', 1)[0] ?? '';
  const separator = first.includes('\t') ? '\t' : first.includes(';') && !first.includes(',') ? ';' : ',';
  const rows: CsvRow[] = [{ line: 1, cells: [] }];
  let field = '';
  let isQuoted = false;
  let line = 1;
  const endField = () => {
    rows.at(-1)?.cells.push(field.trim());
    field = '';
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '\n') line++;
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
      rows.push({ line, cells: [] });
    } else {
      field += character;
    }
  }
  endField();
  return rows.filter(({ cells }) => cells.some(Boolean));
}

/** Lets the visitor save a file. */
export function download(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Returns a cell that a spreadsheet does not take for a formula. */
const guarded = (cell: string | number | null) => (typeof cell === 'string' && /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell);

/** Lets the visitor save rows as CSV, in an encoding that spreadsheets recognise. */
export const downloadCsv = (name: string, rows: (string | number | null)[][]): void =>
  download(name, new Blob(['\ufeff', toCsv(rows.map((row) => row.map(guarded)))], { type: 'text/csv;charset=utf-8' }));
