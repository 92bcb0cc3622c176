import { z } from "zod";
import { ATTACHMENT_KINDS, LARGEST_ATTACHMENT, SENT_AS, UPLOAD_PIECE_BYTES } from "../domain/attachment.ts";
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

const AsNamed = z.strictObject({
  name: z.string().max(1_000).default("").describe("File name, with its ending; documents need one"),
  as: z
    .enum(SENT_AS)
    .optional()
    .describe("`document`: unchanged, to be downloaded; `voice`: an Opus recording, as a voice note"),
});

export const attachments = {
  upload: endpoint({
    method: "POST",
    path: "/api/attachments",
    sends: true,
    summary:
      "Store a file: the body is the file itself. Pictures (JPEG, PNG, WebP, HEIC), MP4 video with H.264, MP3, M4A or OGG sound up to 16 MB, any other file as a document up to 100 MB",
    access: "key",
    query: AsNamed,
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

const UploadParams = z.object({
  id: z.string().regex(/^\d{1,10}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
});

/** `offset`: where the next piece begins; `bytes`: of the whole file. */
const PartialUpload = z.object({ id: z.string(), offset: z.number(), bytes: z.number() });

/** A file in pieces, continued where its connection was lost. What gets no piece for an hour is removed. */
export const uploads = {
  begin: endpoint({
    method: "POST",
    path: "/api/attachments/uploads",
    summary: "Announce a file that comes in pieces",
    access: "user",
    body: z.strictObject({ bytes: z.int().min(1) }),
    answer: PartialUpload,
    status: 201,
  }),
  get: endpoint({
    method: "GET",
    path: "/api/attachments/uploads/{id}",
    summary: "How much of the file is here",
    access: "user",
    params: UploadParams,
    answer: PartialUpload,
  }),
  append: endpoint({
    method: "PUT",
    path: "/api/attachments/uploads/{id}",
    summary: "The next piece; another offset answers `upload_offset` with the right one",
    access: "user",
    params: UploadParams,
    query: z.strictObject({ offset: z.coerce.number().int().min(0).default(0) }),
    body: "raw",
    answer: PartialUpload,
    maxBody: UPLOAD_PIECE_BYTES,
  }),
  complete: endpoint({
    method: "POST",
    path: "/api/attachments/uploads/{id}/complete",
    summary: "Store the file once all of it is here; may be repeated",
    access: "user",
    params: UploadParams,
    query: AsNamed,
    answer: Attachment,
    status: 201,
  }),
  cancel: endpoint({
    method: "DELETE",
    path: "/api/attachments/uploads/{id}",
    summary: "Remove the pieces",
    access: "user",
    params: UploadParams,
    answer: z.void(),
    status: 204,
  }),
};
