/** Commands that would end the transaction, each refused before it runs. */
export const refusedCommands = [
  ...[
    'COMMIT',
    'commit and chain',
    'ROLLBACK',
    'BEGIN',
    'BEGIN NOT ATOMIC COMMIT; END',
    'START TRANSACTION',
    'XA START "x"',
  ],
  ...['CREATE TABLE u (i int)', 'DROP TABLE t', 'ALTER TABLE t ADD j int', 'TRUNCATE t', 'RENAME TABLE t TO u'],
  ...[
    'LOCK TABLES t READ',
    'UNLOCK TABLES',
    'GRANT ALL ON *.* TO x',
    'ANALYZE TABLE t',
    'FLUSH TABLES',
    'OPTIMIZE TABLE t',
  ],
  ...['SET autocommit = 1', 'SET @a = 1, @@session.`autocommit` = 1', 'SET STATEMENT max_statement_time=1 FOR COMMIT'],
  ...["SET PASSWORD = PASSWORD('x')", "SET time_zone = '+09:00'", 'SET NAMES latin1', 'SET completion_type = 1'],
  ...['PREPARE s FROM "COMMIT"', 'EXECUTE IMMEDIATE "COMMIT"', 'CREATE TEMPORARY SEQUENCE s', 'KILL 1', 'SHUTDOWN'],
  ...[
    '/* a */ COMMIT',
    '-- a\nCOMMIT',
    '# a\nCOMMIT',
    '-- a\rSELECT 1\nCOMMIT',
    '/*/ */COMMIT',
    '--\tSELECT 1\n COMMIT',
  ],
  ...[
    '/*! COMMIT */',
    '/*!99999 SELECT */ COMMIT',
    '/*M! COMMIT */',
    '/*M!50000 SELECT */ COMMIT',
    'ROLLBACK /*!99999 TO */',
  ],
];
