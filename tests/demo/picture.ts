import sharp from "sharp";

const WIDTH = 960;
const HEIGHT = 720;

/** Shapes only: a bare machine has no fonts. */
const svg = (sky: string, sun: string, frame: string) => `
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}">
  <defs>
    <linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop stop-color="${sky}"/><stop offset="1" stop-color="#fff7ea"/></linearGradient>
    <linearGradient id="lens" x1="0" y1="0" x2="1" y2="1"><stop stop-color="#ffffff" stop-opacity=".85"/><stop offset="1" stop-color="${frame}" stop-opacity=".35"/></linearGradient>
  </defs>
  <rect width="${WIDTH}" height="${HEIGHT}" fill="url(#sky)"/>
  <circle cx="700" cy="220" r="120" fill="${sun}"/>
  <path d="M0 560 Q240 470 480 560 T960 540 V720 H0 Z" fill="${frame}" opacity=".18"/>
  <path d="M0 620 Q240 550 480 630 T960 610 V720 H0 Z" fill="${frame}" opacity=".28"/>
  <g fill="url(#lens)" stroke="${frame}" stroke-width="22" stroke-linejoin="round">
    <rect x="150" y="290" width="280" height="210" rx="92"/>
    <rect x="530" y="290" width="280" height="210" rx="92"/>
    <path d="M430 370 Q480 320 530 370" fill="none" stroke-linecap="round"/>
    <path d="M150 360 L70 320 M810 360 L890 320" fill="none" stroke-linecap="round"/>
  </g>
  <g stroke="#fff" stroke-width="14" stroke-linecap="round" opacity=".8"><path d="M215 410 L275 340 M595 410 L655 340"/></g>
</svg>`;

export function demoPicture(theme: "spring" | "sale"): Promise<Buffer> {
  const [sky, sun, frame] =
    theme === "spring" ? ["#bfe3d2", "#ffd479", "#17694a"] : ["#20242e", "#f2b84b", "#0b0d12"];
  return sharp(Buffer.from(svg(sky, sun, frame)))
    .jpeg({ quality: 86 })
    .toBuffer();
}
