import { QRCodeSVG } from "qrcode.react";

/** Black on white in both themes, with a white margin: a recoloured code is not read by every telephone. */
export function QrCode({ value, label, size = 220 }: { value: string; label: string; size?: number }) {
  return (
    <span className="inline-block rounded-lg border border-line bg-(--neutral-0) p-[15px]">
      <QRCodeSVG
        value={value}
        size={size}
        level="H"
        bgColor="#ffffff"
        fgColor="#000000"
        title={label}
        role="img"
        aria-label={label}
      />
    </span>
  );
}
