export function colourOf(text: Element): "red" | "yellow" | "green" | "grey" | "other" {
  const canvas = document.createElement("canvas").getContext("2d");
  if (!canvas) throw new Error("no canvas");
  canvas.fillStyle = getComputedStyle(text).color;
  canvas.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
  const [least, most] = [Math.min(red, green, blue), Math.max(red, green, blue)];
  const spread = most - least;
  if (spread < 30) return "grey";
  const sixth =
    most === red
      ? (green - blue) / spread
      : most === green
        ? 2 + (blue - red) / spread
        : 4 + (red - green) / spread;
  const hue = (sixth * 60 + 360) % 360;
  if (hue >= 340 || hue < 20) return "red";
  if (hue < 65) return "yellow";
  return hue >= 90 && hue < 180 ? "green" : "other";
}
