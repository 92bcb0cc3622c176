import { Page } from "../../components/page.tsx";

export function LoginPage() {
  return (
    <Page title="login">
      <p />
    </Page>
  );
}
