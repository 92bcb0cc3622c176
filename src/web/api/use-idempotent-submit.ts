import { useState } from "react";
import { freshKey } from "../lib/fresh-key.ts";
import { ApiError } from "./api-error.ts";

/**
 * Sends under a key: the same content sent again because no answer came is the same deed, which the server does once. After an answer, or
 * with other content, it is another one.
 */
export function useIdempotentSubmit() {
  return useState(sameSubmission)[0];
}

function sameSubmission() {
  let unanswered = { content: "", key: "" };
  return async <T>(content: unknown, send: (key: string) => Promise<T>): Promise<T> => {
    const now = JSON.stringify(content);
    if (unanswered.content !== now) unanswered = { content: now, key: freshKey() };
    try {
      const answer = await send(unanswered.key);
      unanswered = { content: "", key: "" };
      return answer;
    } catch (error) {
      if (error instanceof ApiError && isAnswer(error)) unanswered = { content: "", key: "" };
      throw error;
    }
  };
}

/** No other refusal says what became of the try before; these do: its key stands for something else, or what it made has gone since. */
const isAnswer = ({ code, status }: ApiError) => code === "idempotency_mismatch" || status === 404;
