-- Null: the product's words.
alter table account add column opt_out_confirmation text
  check (char_length(opt_out_confirmation) between 1 and 500);

-- Frozen at the start, as the text is.
alter table campaign add column leave_hint boolean not null default false;
