import type { DataSourceType } from '@rolecall/api';

/**
 * The words that each dialect reserves, or that statements are written with. Short on purpose: the lists of CodeMirror's own
 * dialects are as large as its parser.
 */
const common = `all alter and any as asc begin between both by cascade case cast check collate column commit constraint
  create cross current_date current_time current_timestamp current_user default deferrable delete desc distinct drop else end
  escape except execute exists explain fetch for foreign from full function grant group having if in index inner insert
  intersect interval into is join key leading left like limit materialized natural not null nulls of offset on only or order
  outer over partition primary procedure recursive references release rename replace restrict returning returns revoke right
  rollback row rows savepoint schema select set some table then to trailing transaction trigger truncate union unique update
  using values view when where window with without`;

const postgresql = `analyse analyze array asymmetric authorization binary collation concurrently conflict copy current_catalog
  current_role current_schema database do domain enum excluded extension filter first following freeze generated identity
  ilike inherits initially isnull language last lateral listen localtime localtimestamp lock merge nothing notify notnull
  overlaps owner perform placing preceding range refresh reindex rule sequence serializable session_user setof similar
  symmetric tablesample temporary unbounded unlogged user vacuum variadic verbose within`;

const mysql = `accessible add analyze before call change charset comment condition continue convert cursor database databases
  declare delayed describe distinctrow div dual duplicate each elseif enclosed engine escaped exit explain force fulltext
  generated groups handler high_priority ignore infile inout iterate keys kill lateral lead leave lines load lock loop
  low_priority match mod modify optimize option out outfile purge range read regexp repeat require rlike separator show
  signal spatial sql_calc_found_rows starting straight_join system temporary terminated tables undo unlock unsigned usage use
  utc_date utc_time utc_timestamp virtual while write xor year_month zerofill`;

const sqlite = `abort action after always analyze attach autoincrement before conflict database deferred detach do each exclude
  exclusive fail filter first following generated glob groups ignore immediate indexed initially instead isnull last match
  nothing notnull plan pragma preceding query raise range regexp reindex temp temporary ties unbounded vacuum virtual`;

const words: Readonly<Record<DataSourceType, string>> = {
  postgresql,
  mysql,
  mariadb: `${mysql} returning sequence versioning`,
  sqlite,
};

/** The keywords of a dialect, in lower case. */
export function keywordsOf(type: DataSourceType): readonly string[] {
  return [...new Set(`${common} ${words[type]}`.split(/\s+/))];
}

const types = `bigint binary bit blob boolean bool char character clob date datetime decimal double enum float int integer
  json mediumint nchar numeric nvarchar precision real smallint text time timestamp tinyint varbinary varchar varying year`;

const ownTypes: Readonly<Record<DataSourceType, string>> = {
  postgresql: `${types} bigserial bytea cidr citext hstore inet jsonb macaddr money name oid point regclass serial smallserial
    timestamptz timetz tsquery tsvector uuid xml zone`,
  mysql: `${types} geometry longblob longtext mediumblob mediumtext point tinyblob tinytext`,
  mariadb: `${types} geometry inet4 inet6 longblob longtext mediumblob mediumtext point tinyblob tinytext uuid`,
  sqlite: `${types} any`,
};

export function typesOf(type: DataSourceType): readonly string[] {
  return ownTypes[type].split(/\s+/);
}
