import { z } from "zod";
import { ATTACHMENT_KINDS, LARGEST_ATTACHMENT, SENT_AS } from "../domain/attachment.ts";
import { endpoint } from "./endpoint.ts";
import { IdParams } from "./ids.ts";

export const AttachmentKind = z.enum(ATTACHMENT_KINDS);

export const AttachmentSummary = z.object({
  id: z.number().describe("The number by which messages name it"),
  kind: AttachmentKind.describe("As what WhatsApp shows it"),
  name: z.string().describe("Its file name; empty for a picture or a voice note"),
  mime: z.string().describe("Its media type, judged by its content"),
  bytes: z.number().describe("Size of the stored file in bytes"),
  width: z.number().nullable().describe("Of a picture or video, in pixels"),
  height: z.number().nullable().describe("Of a picture or video, in pixels"),
  seconds: z.number().nullable().describe("Length of a video or sound"),
});
export type AttachmentSummary = z.infer<typeof AttachmentSummary>;

export const Attachment = AttachmentSummary.extend({
  reduced: z.boolean().describe("A picture larger than WhatsApp shows was made smaller"),
});
export type Attachment = z.infer<typeof Attachment>;

export const attachments = {
  upload: endpoint({
    method: "POST",
    path: "/api/attachments",
    sends: true,
    summary:
      "Store a file: the body is the file itself. Pictures (JPEG, PNG, WebP, HEIC), MP4 video with H.264, MP3, M4A or OGG sound up to 16 MB, any other file as a document up to 100 MB",
    access: "key",
    query: z.strictObject({
      name: z.string().max(1_000).default("").describe("File name, with its ending; documents need one"),
      as: z
        .enum(SENT_AS)
        .optional()
        .describe("`document`: unchanged, to be downloaded; `voice`: an Opus recording, as a voice note"),
    }),
    body: "raw",
    answer: Attachment,
    status: 201,
    maxBody: LARGEST_ATTACHMENT,
  }),
  get: endpoint({
    method: "GET",
    path: "/api/attachments/{id}",
    summary: "The file's bytes; a `Range` is answered with that part",
    access: "key",
    params: IdParams,
    answer: "stream",
    media: "*/*",
  }),
};
