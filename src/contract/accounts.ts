import { z } from "zod";
import { endpoint } from "./endpoint.ts";

export const Language = z.enum(["pt-BR", "en"]);
export type Language = z.infer<typeof Language>;

/**
 * Unconfirmed addresses get no notices. `change`: will replace the account's address. `by`: a mailed link, or
 * the operator where the server sends no e-mail.
 */
export const EmailConfirmation = z.object({
  email: z.string(),
  change: z.boolean(),
  by: z.enum(["link", "operator"]),
});
export type EmailConfirmation = z.infer<typeof EmailConfirmation>;

export const Access = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("key"), name: z.string(), prefix: z.string() }),
  z.object({ kind: z.literal("relay"), name: z.string(), host: z.string() }),
  z.object({ kind: z.literal("gateway"), name: z.string(), host: z.string() }),
  z.object({ kind: z.literal("mistral"), hint: z.string() }),
]);
export type Access = z.infer<typeof Access>;

export const PasswordChanged = z.object({
  endedSessions: z.number(),
  ended: z.array(Access),
  living: z.array(Access),
});
export type PasswordChanged = z.infer<typeof PasswordChanged>;

export const Me = z.object({
  id: z.uuid(),
  name: z.string(),
  email: z.string(),
  confirmation: EmailConfirmation.nullable(),
  /** Empty when not given. */
  company: z.string(),
  language: Language,
  timeZone: z.string(),
  riskRead: z.boolean(),
  stepsHidden: z.boolean(),
  /** The largest file that this installation takes; WhatsApp's limits of a kind may be lower. */
  attachmentMb: z.number(),
  createdAt: z.iso.datetime(),
});
export type Me = z.infer<typeof Me>;

/** Fields are validated by the service, which answers field errors. */
export const SignUp = z.strictObject({
  name: z.string(),
  email: z.string(),
  password: z.string(),
  confirmPassword: z.string(),
  acceptTerms: z.boolean(),
  timeZone: z.string().optional(),
  invitation: z.string().max(200).optional(),
});
export type SignUp = z.infer<typeof SignUp>;

export const Login = z.strictObject({ email: z.string(), password: z.string() });
export type Login = z.infer<typeof Login>;

export const ResetForm = z.strictObject({
  token: z.string().max(200),
  newPassword: z.string(),
  confirmPassword: z.string(),
});
export type ResetForm = z.infer<typeof ResetForm>;

export const SignupPolicy = z.object({ open: z.boolean() });
export type SignupPolicy = z.infer<typeof SignupPolicy>;
const LinkToken = z.strictObject({ token: z.string().max(200) });
const ConfirmedEmail = z.object({ email: z.string(), change: z.boolean() });

/** `version` is stored with the acceptance; `text` is Markdown. */
export const Terms = z.object({ version: z.string(), text: z.string() });
export type Terms = z.infer<typeof Terms>;

/** Login and sign-up set the session cookie; logout removes it. */
export const accounts = {
  signUp: endpoint({
    method: "POST",
    path: "/api/signup",
    summary: "Create an account and open a session",
    access: "public",
    body: SignUp,
    answer: Me,
    status: 201,
    maxBody: 16_384,
  }),
  signupPolicy: endpoint({
    method: "GET",
    path: "/api/signup/policy",
    summary: "Whether an account can be created here without an invitation",
    access: "public",
    answer: SignupPolicy,
  }),
  lookAtInvitation: endpoint({
    method: "POST",
    path: "/api/signup/invitation",
    summary:
      "Say whether an invitation would still create an account, and for which e-mail alone (null: any)",
    access: "public",
    body: z.strictObject({ token: z.string().max(200) }),
    answer: z.object({ email: z.string().nullable() }),
    maxBody: 16_384,
  }),
  login: endpoint({
    method: "POST",
    path: "/api/login",
    summary: "Open a session with e-mail and password",
    access: "public",
    body: Login,
    answer: Me,
    maxBody: 16_384,
  }),
  logout: endpoint({
    method: "POST",
    path: "/api/logout",
    summary: "End the session of the cookie",
    access: "public",
    answer: z.void(),
    status: 204,
  }),
  resetMeans: endpoint({
    method: "GET",
    path: "/api/password-reset",
    summary: "Whether a forgotten password can be reset by e-mail here",
    access: "public",
    answer: z.object({ byMail: z.boolean() }),
  }),
  askReset: endpoint({
    method: "POST",
    path: "/api/password-reset",
    summary:
      "Send a link that sets a new password, if an account has this e-mail; the answer does not say whether one has",
    access: "public",
    body: z.strictObject({ email: z.string() }),
    answer: z.void(),
    status: 204,
    maxBody: 16_384,
  }),
  lookAtReset: endpoint({
    method: "POST",
    path: "/api/password-reset/link",
    summary: "Say whether a link would still set a new password, and of which account",
    access: "public",
    body: z.strictObject({ token: z.string().max(200) }),
    // Password managers need the account's e-mail.
    answer: z.object({ email: z.string() }),
    maxBody: 16_384,
  }),
  useReset: endpoint({
    method: "POST",
    path: "/api/password-reset/password",
    summary:
      "Set a new password by a link; ends every session, API key and address for messages of the account, and names them",
    access: "public",
    body: ResetForm,
    answer: PasswordChanged,
    maxBody: 16_384,
  }),
  confirmAgain: endpoint({
    method: "POST",
    path: "/api/email-confirmation",
    summary: "Send another link to the address that waits for its confirmation",
    access: "user",
    answer: Me,
  }),
  lookAtConfirmation: endpoint({
    method: "POST",
    path: "/api/email-confirmation/link",
    summary: "Say which address a link would confirm",
    access: "public",
    body: LinkToken,
    answer: ConfirmedEmail,
    maxBody: 16_384,
  }),
  confirmEmail: endpoint({
    method: "POST",
    path: "/api/email-confirmation/confirm",
    summary: "Confirm an address by a link that was sent to it",
    access: "public",
    body: LinkToken,
    answer: ConfirmedEmail,
    maxBody: 16_384,
  }),
  me: endpoint({
    method: "GET",
    path: "/api/me",
    summary: "Say who is signed in",
    access: "user",
    answer: Me,
  }),
  terms: endpoint({
    method: "GET",
    path: "/api/terms",
    summary: "Read the terms of use",
    access: "public",
    answer: Terms,
  }),
} as const;
