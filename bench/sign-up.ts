export const BENCH_EMAIL = "pessoa@exemplo.com.br";

export async function signUp(url: string): Promise<string> {
  const password = "girassol no quintal";
  const form = {
    name: "Bench",
    email: BENCH_EMAIL,
    password,
    confirmPassword: password,
    acceptTerms: true,
  };
  const answer = await fetch(`${url}/api/signup`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify(form),
  });
  if (!answer.ok) throw new Error(`sign-up: ${answer.status} ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}
