import { expect, type Locator } from "@playwright/test";
import decode from "jsqr";
import sharp from "sharp";

export async function readQr(picture: Locator): Promise<string> {
  let text = "";
  await expect(async () => {
    const { data, info } = await sharp(await picture.screenshot())
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    text = decode(new Uint8ClampedArray(data), info.width, info.height)?.data ?? "";
    expect(text).not.toBe("");
  }).toPass({ timeout: 120_000 });
  return text;
}
