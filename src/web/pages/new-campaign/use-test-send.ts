import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { TestSend } from "../../../contract/test-sends.ts";
import type { FieldTexts } from "../../../domain/message-text.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { ApiError } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { usePollingWhenDown } from "../../api/events.ts";
import { useMe } from "../../api/me.ts";
import { useIdempotentSubmit } from "../../api/use-idempotent-submit.ts";
import { DEFAULT_CONNECTION, messagesOf } from "./form.ts";
import { readTestNumber, storeTestNumber } from "./test-number.ts";
import { useAfterUpload } from "./use-after-upload.ts";
import type { CampaignFormState } from "./use-campaign-form.ts";

/** Under `chats`, whose events cover direct messages. */
const queryKey = (id: number) => ["chats", "test", id];

type Sample = { name: string; texts: FieldTexts | null };

/** `own`: digits of the connected number; `sample`: of a person. */
export function useTestSend(form: CampaignFormState, own: string | null, sample: Sample) {
  const me = useMe();
  const queries = useQueryClient();
  const [typed, setTyped] = useState(() => readTestNumber(me.id));
  const [name, setName] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [held, setHeld] = useState(false);
  const [sent, setSent] = useState<number | null>(null);
  const once = useIdempotentSubmit();
  const number = typed ?? (own === null ? "" : formatPhone(own));

  const send = async () => {
    const body = bodyOf(form, number, { ...sample, name: name ?? sample.name });
    setBusy(true);
    setError(null);
    setHeld(false);
    try {
      const test = await once(body, (idempotencyKey) =>
        api("POST /api/campaigns/test", { body: { ...body, idempotencyKey } }),
      );
      storeTestNumber(me.id, test.phone === own ? null : number);
      queries.setQueryData(queryKey(test.id), test);
      setSent(test.id);
    } catch (error) {
      setError(error);
      if (isAboutMessage(error)) form.touch(["text", "nameFallback", "attachment"]);
    } finally {
      setBusy(false);
    }
  };

  const sending = useAfterUpload<true>(
    form.upload,
    () => void send(),
    () => setHeld(true),
  );
  const change = (act: () => void) => {
    act();
    setError(null);
  };
  const fields = error instanceof ApiError ? error.fields : {};
  return {
    number,
    error,
    busy: busy || sending.waiting !== null,
    send: () => sending.start(true),
    name: name ?? sample.name,
    errors: { number: fields.number, name: fields.name },
    aboutMessage: isAboutMessage(error) || (held && form.upload.error !== null),
    result: useTestResult(sent),
    setNumber: (text: string) => change(() => setTyped(text)),
    setName: (text: string) => change(() => setName(text)),
    toOwn: () => change(() => setTyped(null)),
  };
}

export type TestSendState = ReturnType<typeof useTestSend>;

function bodyOf({ values }: CampaignFormState, number: string, { name, texts }: Sample) {
  const [first, ...further] = messagesOf(values);
  return {
    number,
    name,
    text: values.text,
    nameFallback: values.nameFallback,
    leaveHint: values.leaveHint,
    ...(texts === null ? {} : { values: texts }),
    attachmentId: first?.file?.id ?? null,
    moreAttachmentIds: further.flatMap(({ file }) => file?.id ?? []),
    connectionId: values.connection === DEFAULT_CONNECTION ? null : Number(values.connection),
  };
}

const isAboutMessage = (error: unknown) =>
  error instanceof ApiError && ["text", "nameFallback"].some((field) => field in error.fields);

function useTestResult(id: number | null): TestSend | null {
  const query = useQuery({
    queryKey: queryKey(id ?? 0),
    queryFn: ({ signal }) => api("GET /api/campaigns/test/{id}", { params: { id: id ?? 0 }, signal }),
    enabled: id !== null,
    staleTime: 1_000,
    refetchInterval: usePollingWhenDown(5_000),
  });
  return (id !== null && query.data) || null;
}
