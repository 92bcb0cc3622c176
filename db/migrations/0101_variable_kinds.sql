update campaign c set variables = (
  select jsonb_agg(v.value || jsonb_build_object('kind', coalesce(f.kind, 'text')) order by v.ordinality)
  from jsonb_array_elements(c.variables) with ordinality v
    left join contact_field f on f.account_id = c.account_id and f.key = v.value ->> 'key')
where c.variables <> '[]';
