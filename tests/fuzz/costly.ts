/** Routes that hash passwords, open pictures, walk whole tables or call somebody: a request of these takes what a hundred others take. */
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

/** `key`: method and path as the contract has them. */
export const isCostly = (key: string): boolean => COSTLY.some((pattern) => pattern.test(key));
