import { useState } from "react";
import { freshKey } from "../lib/fresh-key.ts";
import { ApiError } from "./api-error.ts";

/** Identical content reuses its key until the server answers; other content gets a new key. */
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

/** Errors that settle the earlier attempt: its key belongs to other content, or its result is deleted. */
const isAnswer = ({ code, status }: ApiError) => code === "idempotency_mismatch" || status === 404;
