import fs from "node:fs";
import { QRCodeSVG } from "qrcode.react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { QrCode } from "./qr-code.tsx";

const VALUE = "2@aGVsbG8,cmVjYWRv,bm9pc2U,c2VjcmV0,1";
/** More error correction: more and smaller dark squares. */
const drawn = (markup: string) => [...markup.matchAll(/ d="([^"]+)"/g)].map(([, path]) => path);
const at = (level: "M" | "Q" | "H") => drawn(renderToStaticMarkup(<QRCodeSVG value={VALUE} level={level} />));

test("a QR code is 220 pixels wide, black on white, and of the level that stands most damage @spec 2.65,2.68,9.14 @decision 29", () => {
  const markup = renderToStaticMarkup(<QrCode value={VALUE} label="QR Code" />);
  expect(markup).toContain('height="220" width="220"');
  expect(markup).toMatch(/fill="#ffffff".*fill="#000000"/);
  expect(drawn(markup)).toEqual(at("H"));
  expect(at("H")).not.toEqual(at("Q"));
});

test("a code that came as a picture alone keeps the filter: no colours, high contrast @spec 2.65 @decision 29", () => {
  const picture = "data:image/png;base64,iVBORw0KGgo=";
  const markup = renderToStaticMarkup(<QrCode value={picture} label="QR Code" />);
  expect(markup).toContain(`src="${picture}"`);
  expect(markup).toContain('alt="QR Code" width="220" height="220"');
  expect(markup).toMatch(/class="[^"]*given/);
  const rule = /\.given \{([^}]*)\}/.exec(fs.readFileSync("src/web/ui/qr-code.module.css", "utf8"));
  expect(rule?.[1]).toContain("filter: contrast(150%) grayscale(100%);");
  expect(drawn(markup)).toEqual([]);
});
