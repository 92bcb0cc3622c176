/**
 * Routes that hash passwords, decode pictures, scan tables or call others: one request takes as long as a
 * hundred others.
 */
const COSTLY: readonly RegExp[] = [
  /^POST \/api\/(signup|login)$/,
  /^POST \/api\/settings\/(password|account\/delete)$/,
  /^PATCH \/api\/settings\/profile$/,
  /^GET \/api\/(settings\/export|openapi\.json|docs)$/,
  /^POST \/api\/(images|contact-imports)/,
  /^GET \/api\/contact-lists\/\{id\}\/export$|^GET .*\.csv$/,
  /\/api\/mistral\//,
  /\/api\/gateways/,
  /^(PUT|POST) \/api\/connections\/\{id\}\//,
  /^(POST|DELETE) \/api\/whatsapp\//,
  /^POST \/api\/campaigns\/test$/,
];

/** `key`: `METHOD path` as in the contract. */
export const isCostly = (key: string): boolean => COSTLY.some((pattern) => pattern.test(key));
