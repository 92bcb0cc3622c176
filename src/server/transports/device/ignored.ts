import { isJidNewsletter, isJidStatusBroadcast } from "baileys";

/**
 * No chats: status updates and channels. A broadcast list's message also appears in the chat with each
 * recipient.
 */
export const isIgnored = (jid: string): boolean => Boolean(isJidStatusBroadcast(jid) || isJidNewsletter(jid));
