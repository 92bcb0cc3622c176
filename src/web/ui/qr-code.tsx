import { QRCodeSVG } from "qrcode.react";
import styles from "./qr-code.module.css";

type Props = { value: string; label: string; size?: number };

export function QrCode({ value, label, size = 220 }: Props) {
  return (
    <span className={styles.frame}>
      {value.startsWith("data:image/") ? (
        <img src={value} alt={label} width={size} height={size} className={styles.given} />
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
