import { Page } from "../../components/page.tsx";

export function SignupPage() {
  return (
    <Page title="signup">
      <p />
    </Page>
  );
}
