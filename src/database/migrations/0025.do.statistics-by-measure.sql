-- Every question asks for some measures over a span of days: with the measure first, it reads only the lines that it asks for.
alter table statistics_days drop constraint statistics_days_pkey, add primary key (basis, measure, day, program, key);
alter table statistics_months drop constraint statistics_months_pkey, add primary key (basis, measure, month, program, key);
