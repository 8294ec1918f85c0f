import { setTimeout as sleep } from 'node:timers/promises';
import type mysql from 'mysql2/promise';
import { median, round } from '../../report/report.ts';
import { type Door, Opened } from '../doors.ts';
import { type Figures, idleSessions, inTurns, isShort, type Measured, seconds } from '../in-turns.ts';
import { connect, fillTable, timeConnections, timeSelects, transfer } from './clients.ts';
import { openDoors } from './doors.ts';

const connectors = 8;
const mebibytes = isShort ? 64 : 256;

/** The gateway for clients of MySQL and MariaDB. */
export async function measureMysql(): Promise<Measured> {
  const opened = new Opened();
  try {
    const doors = await openDoors(idleSessions + 200, opened);
    const [direct] = doors;
    if (direct === undefined) throw new Error('there is no door');
    await fillTable(direct);
    const figures = {
      ...(await measureIdle(doors)),
      ...(await measureSelects(doors)),
      ...(await measureTransfers(doors)),
      ...(await measureConnections(doors)),
    };
    return { figures, notes, bounds };
  } finally {
    await opened.stop();
  }
}

async function measureSelects(all: readonly Door[]): Promise<Figures> {
  // What is compiled while it runs is not measured.
  for (const door of all) await timeSelects(door, seconds / 2);
  const seen = await inTurns(all, async (door) => {
    const before = door.cpu();
    const times = await timeSelects(door, seconds);
    return { p50: median(times), cpu: ((door.cpu() - before) * 1000) / times.length };
  });
  const value = (name: Door['name'], isTls: boolean, what: 'p50' | 'cpu'): number =>
    seen(name, isTls)?.[what] ?? Number.NaN;
  const direct = value('direct', false, 'p50');
  return {
    mysqlSelectMicros: round(direct, 1),
    mysqlAddedMicros: round(value('gateway', false, 'p50') - direct, 1),
    mysqlSelectRatio: round(value('gateway', false, 'p50') / direct),
    mysqlTlsAddedMicros: round(value('gateway', true, 'p50') - direct, 1),
    mysqlTlsSelectRatio: round(value('gateway', true, 'p50') / value('direct', true, 'p50')),
    mysqlCpuMicros: round(value('gateway', false, 'cpu'), 1),
  };
}

async function measureTransfers(all: readonly Door[]): Promise<Figures> {
  const speed = await inTurns(all, async (door) => ({ speed: await transfer(door, mebibytes) }));
  const ratio = (isTls: boolean): number =>
    round((speed('gateway', isTls)?.speed ?? Number.NaN) / (speed('direct', isTls)?.speed ?? Number.NaN));
  return {
    mysqlDirectMiBPerSecond: Math.round(speed('direct', false)?.speed ?? Number.NaN),
    mysqlTransferRatio: ratio(false),
    mysqlTlsTransferRatio: ratio(true),
  };
}

async function measureConnections(all: readonly Door[]): Promise<Figures> {
  const plain = all.filter(({ isTls }) => !isTls);
  // What is compiled while it runs is not measured.
  for (const door of plain) await timeConnections(door, connectors, seconds * 4);
  const seen = await inTurns(plain, async (door) => {
    const before = door.cpu();
    const { length } = await timeConnections(door, connectors, seconds);
    const cpu = (door.cpu() - before) / length;
    return { perSecond: length / seconds, cpu, p50: median(await timeConnections(door, 1, seconds)) };
  });
  const [direct, gateway] = [seen('direct', false), seen('gateway', false)];
  const [directMs, gatewayMs] = [direct?.p50 ?? Number.NaN, gateway?.p50 ?? Number.NaN];
  return {
    mysqlConnectionsPerSecond: Math.round(gateway?.perSecond ?? Number.NaN),
    mysqlDirectConnectionsPerSecond: Math.round(direct?.perSecond ?? Number.NaN),
    mysqlConnectionCpuMs: round(gateway?.cpu ?? Number.NaN),
    mysqlDirectConnectMs: round(directMs, 1),
    mysqlConnectAddedMs: round(gatewayMs - directMs, 1),
  };
}

/** Comes first: what a gateway gives back meanwhile of the memory for earlier work would hide what sessions take. */
async function measureIdle(all: readonly Door[]): Promise<Figures> {
  const door = all.find(({ name, isTls }) => name === 'gateway' && !isTls);
  if (door === undefined) return {};
  const before = await door.rss();
  const kept: mysql.Connection[] = [];
  while (kept.length < idleSessions) {
    kept.push(...(await Promise.all(Array.from({ length: 50 }, () => connect(door)))));
  }
  // Their beginnings are written by then.
  await sleep(2000);
  const rss = await door.rss();
  for (const client of kept) client.destroy();
  return { mysqlIdleSessions: idleSessions, mysqlIdleMiB: round((rss - before) / 2 ** 20, 1) };
}

const notes: Measured['notes'] = {
  mysqlSelectMicros: 'prepared SELECT of one row from MariaDB by mysql2, one client, directly: p50 in microseconds',
  mysqlAddedMicros: 'what the gateway, a process of its own with its store in PostgreSQL, adds to it',
  mysqlSelectRatio: 'the SELECT through the gateway ÷ directly',
  mysqlTlsAddedMicros: 'what the gateway adds with TLS to the client',
  mysqlTlsSelectRatio: 'the same, TLS to the client in both',
  mysqlCpuMicros: 'CPU of the gateway for a SELECT',
  mysqlDirectMiBPerSecond: `${mebibytes} MiB by the client mariadb, rows of 1 KiB, directly`,
  mysqlTransferRatio: 'the same through the gateway ÷ directly',
  mysqlTlsTransferRatio: 'the same, TLS to the client in both',
  mysqlConnectionsPerSecond: `connections with one query through the gateway, ${connectors} at a time; each opens one to the server`,
  mysqlDirectConnectionsPerSecond: 'the same directly: the floor',
  mysqlConnectionCpuMs: 'CPU of the gateway for each of them',
  mysqlDirectConnectMs: 'one connection at a time with one query, directly: p50',
  mysqlConnectAddedMs: 'what the gateway adds to it',
  mysqlIdleSessions: 'sessions that are open and do nothing',
  mysqlIdleMiB: 'resident memory of a gateway that just started which they take',
};

const bounds: Measured['bounds'] = {
  mysqlTransferRatio: ['at least', 0.7],
  mysqlTlsTransferRatio: ['at least', 0.5],
  mysqlConnectionsPerSecond: ['at least', 300],
  mysqlConnectAddedMs: ['at most', 10],
  mysqlIdleMiB: ['at most', 150],
};
