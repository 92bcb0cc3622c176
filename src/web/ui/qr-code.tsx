import { QRCodeSVG } from "qrcode.react";

type Props = { value: string; label: string; size?: number };

/**
 * Black on white in both themes and whatever colours the system sets, with a white margin: a recoloured code is not read by every
 * telephone. A code that came as a picture alone (`data:image/…`) is shown as it is, without its colours and with all its contrast.
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
