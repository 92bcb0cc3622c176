import { isJidNewsletter, isJidStatusBroadcast } from "baileys";

/**
 * Nobody whom we talk to: status updates, channels. Not broadcast lists: what somebody writes to one of theirs is a message to each person in
 * it, and stands in the conversation with them on the phone too.
 */
export const isIgnored = (jid: string): boolean => Boolean(isJidStatusBroadcast(jid) || isJidNewsletter(jid));
