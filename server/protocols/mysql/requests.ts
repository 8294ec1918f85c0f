import { packet } from './framing.ts';

/** Commands of a client, by their numbers (MySQL's manual, "Command Phase"; MariaDB's has the same). */
export const command = {
  quit: 0x01,
  initDatabase: 0x02,
  query: 0x03,
  fieldList: 0x04,
  statistics: 0x09,
  processInfo: 0x0a,
  processKill: 0x0c,
  ping: 0x0e,
  changeUser: 0x11,
  prepare: 0x16,
  execute: 0x17,
  sendLongData: 0x18,
  closeStatement: 0x19,
  resetStatement: 0x1a,
  setOption: 0x1b,
  fetch: 0x1c,
  resetConnection: 0x1f,
  /** MariaDB's own, with many values for one prepared statement. */
  executeBulk: 0xfa,
};

/** A statement. */
export const query = {
  encode: (sql: string): Buffer => packet(0, Buffer.from([command.query]), Buffer.from(sql)),
};

export const quit = packet(0, Buffer.from([command.quit]));
