import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { IdParams } from "./ids.ts";

export const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

export const Image = z.object({
  id: z.number().describe("The number by which messages name it"),
  width: z.number().describe("Of the stored picture, in pixels"),
  height: z.number().describe("Of the stored picture, in pixels"),
  bytes: z.number().describe("Size of the stored file in bytes"),
  mime: z.enum(["image/jpeg", "image/png"]).describe("What it was stored as"),
});
export type Image = z.infer<typeof Image>;

export const images = {
  upload: endpoint({
    method: "POST",
    path: "/api/images",
    sends: true,
    summary: "Store a picture: the body is the file itself (JPEG, PNG or WebP, up to 5 MB)",
    access: "key",
    body: "raw",
    answer: Image,
    status: 201,
    maxBody: MAX_IMAGE_BYTES,
  }),
  get: endpoint({
    method: "GET",
    path: "/api/images/{id}",
    summary: "The picture's bytes",
    access: "key",
    params: IdParams,
    answer: "stream",
    media: "image/*",
  }),
};
