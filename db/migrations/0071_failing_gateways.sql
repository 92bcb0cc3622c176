-- An Evolution server that answers, but with errors of its own (its database is away), is another finding than a wrong address.
alter table gateway drop constraint gateway_check_state_check,
  add constraint gateway_check_state_check
    check (check_state in ('ok', 'unreachable', 'wrong_key', 'license_required', 'not_evolution', 'failing'));
