-- `asked`: what a person wrote sounds like leaving, and a human has not decided yet. They get no campaigns until then, as who has left.
alter table opt_out drop constraint opt_out_source_check;
alter table opt_out add constraint opt_out_source_check check (source in ('reply', 'manual', 'asked'));
