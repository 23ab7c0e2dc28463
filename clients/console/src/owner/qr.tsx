// QR codes, drawn in the page from the settings as they are at the moment.

import { useState } from 'preact/hooks';
import { encode } from 'uqr';
import { download } from '../shared/csv';
import { Field } from '../shared/parts';
import { ownerTexts as texts } from '../shared/texts';
import type { Link } from './api';

/** The settings of a QR code. */
export type QrSettings = Pick<Link, 'qr_error_correction' | 'qr_margin' | 'qr_foreground' | 'qr_background'>;

/** Returns the modules of a code as a path, and the side length with the margin; `undefined` if the URL is too long. */
function draw(url: string, { qr_error_correction: ecc, qr_margin: margin }: QrSettings) {
  // The most that a code can have, in bytes.
  if (new TextEncoder().encode(url).length > { L: 2953, M: 2331, Q: 1663, H: 1273 }[ecc]) return undefined;
  const { data, size } = encode(url, { ecc, border: 0, boostEcc: false });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x + margin} ${y + margin}h1v1h-1z` : [])));
  return { path: path.join(''), side: size + 2 * margin };
}

const pixels = [256, 512, 1024, 2048] as const;

/** A QR code that can be downloaded. */
export function QrView({ link, settings = link }: { link: Link; settings?: QrSettings }) {
  const [size, setSize] = useState<string>('512');
  const drawn = draw(link.short_url, settings);
  if (!drawn) return <p class="faint">{texts.qrTooLong}</p>;
  const { path, side } = drawn;
  const { qr_foreground: foreground, qr_background: background } = settings;
  const name = `qr-${link.short_code.replaceAll('/', '-')}`;
  const saveSvg = () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges"><path fill="${background}" d="M0 0h${side}v${side}H0z"/><path fill="${foreground}" d="${path}"/></svg>\n`;
    download(`${name}.svg`, new Blob([svg], { type: 'image/svg+xml' }));
  };
  const savePng = () => {
    // Whole pixels for each module, so that its edges are sharp; what is left is margin.
    const length = Number(size);
    const scale = Math.max(1, Math.floor(length / side));
    const start = Math.floor((length - side * scale) / 2);
    const canvas = Object.assign(document.createElement('canvas'), { width: length, height: length });
    const context = canvas.getContext('2d') as CanvasRenderingContext2D;
    context.fillStyle = background;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.setTransform(scale, 0, 0, scale, start, start);
    context.fillStyle = foreground;
    context.fill(new Path2D(path));
    canvas.toBlob((blob) => blob && download(`${name}.png`, blob), 'image/png');
  };
  return (
    <div class="qr">
      <svg viewBox={`0 0 ${side} ${side}`} role="img" aria-label={texts.qrLeadsTo(link.short_url)} shape-rendering="crispEdges">
        <path fill={background} d={`M0 0h${side}v${side}H0z`} />
        <path fill={foreground} d={path} />
      </svg>
      <div class="line">
        <Field name="size" label={texts.pixels} value={size} onChange={setSize} options={pixels.map((one) => [`${one}`, `${one} × ${one}`])} />
        <button type="button" onClick={saveSvg}>{texts.downloadSvg}</button>
        <button type="button" onClick={savePng}>{texts.downloadPng}</button>
      </div>
    </div>
  );
}
