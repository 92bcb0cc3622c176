import { QRCodeSVG } from "qrcode.react";

type Props = { value: string; label: string; size?: number };

/**
 * Black on white in every theme: not every phone reads a recoloured code. A code given as a picture
 * (`data:image/…`) is shown unchanged.
 */
export function QrCode({ value, label, size = 220 }: Props) {
  return (
    <span className="inline-block rounded-lg border border-line bg-(--neutral-0) p-[0.9375rem] forced-color-adjust-none">
      {value.startsWith("data:image/") ? (
        <img
          src={value}
          alt={label}
          width={size}
          height={size}
          className="object-contain contrast-150 grayscale [image-rendering:pixelated]"
        />
      ) : (
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
      )}
    </span>
  );
}
