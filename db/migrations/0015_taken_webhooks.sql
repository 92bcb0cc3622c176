-- An instance has one webhook: another system (n8n, a second Recado) may put its own there after ours, and events then come late, by asking.
alter table instance drop constraint instance_hook_state_check,
  add constraint instance_hook_state_check check (hook_state in ('unset', 'ours', 'literal', 'failed', 'taken'));
