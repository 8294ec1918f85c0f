import { setTimeout as sleep } from 'node:timers/promises';
import { median, round } from '../../report/report.ts';
import { type Door, Opened } from '../doors.ts';
import { type Figures, idleSessions, inTurns, isShort, type Measured, seconds } from '../in-turns.ts';
import { Connector } from './connections.ts';
import { openDoors } from './doors.ts';
import { cpuOfSelects, fillTables, timeSelects } from './pgbench.ts';
import { transfer } from './transfer.ts';

const [manyClients, connectors] = [16, 8];
const mebibytes = isShort ? 64 : 1024;

/** The gateway for clients of PostgreSQL. */
export async function measurePostgresql(): Promise<Measured> {
  const opened = new Opened();
  const connector = opened.add(await Connector.start());
  try {
    const all = await openDoors(idleSessions + 200, opened);
    const doors = all.filter(({ name }) => name !== 'Node');
    const [direct] = doors;
    if (direct === undefined) throw new Error('there is no door');
    await fillTables(direct);
    const figures = {
      ...(await measureIdle(doors)),
      ...(await measureSelects(all)),
      ...(await measureTransfers(doors)),
      ...(await measureConnections(doors, connector)),
    };
    return { figures, notes, bounds };
  } finally {
    await opened.stop();
  }
}

async function measureSelects(all: readonly Door[]): Promise<Figures> {
  const between = all.filter(({ name }) => name !== 'direct');
  // What is compiled while it runs is not measured: Node compiles anew until some 200,000 transactions have passed.
  for (const door of between) await cpuOfSelects(door, manyClients, seconds * 6000);
  for (const door of all) await timeSelects(door, seconds);
  const one = await inTurns(all, async (door) => ({ p50: await timeSelects(door, seconds) }));
  const many = await inTurns(between, async (door) => ({
    cpu: await cpuOfSelects(door, manyClients, seconds * 1000),
  }));
  const direct = one('direct', false)?.p50 ?? Number.NaN;
  const figures: Figures = { postgresqlSelectMicros: round(direct, 1) };
  for (const isTls of [false, true]) {
    const how = isTls ? 'Tls' : '';
    const cpuOf = (name: Door['name']): number => many(name, isTls)?.cpu ?? Number.NaN;
    const [gatewayCpu, floorCpu, poolerCpu] = [cpuOf('gateway'), cpuOf('Node'), many('PgBouncer', isTls)?.cpu];
    const addedBy = (name: Door['name']): number => (one(name, isTls)?.p50 ?? Number.NaN) - direct;
    const added = addedBy('gateway');
    figures[`postgresql${how}AddedMicros`] = round(added, 1);
    if (one('PgBouncer', isTls) !== undefined)
      figures[`postgresql${how}AddedRatio`] = round(added / addedBy('PgBouncer'));
    figures[`postgresql${how}FloorAddedMicros`] = round(addedBy('Node'), 1);
    figures[`postgresql${how}CpuMicros`] = round(gatewayCpu, 1);
    if (poolerCpu !== undefined) figures[`postgresql${how}CpuRatio`] = round(gatewayCpu / poolerCpu);
    figures[`postgresql${how}FloorCpuMicros`] = round(floorCpu, 1);
    figures[`postgresql${how}FloorCpuRatio`] = round(gatewayCpu / floorCpu);
  }
  return figures;
}

async function measureTransfers(all: readonly Door[]): Promise<Figures> {
  const speed = await inTurns(all, async (door) => ({ speed: await transfer(door, mebibytes) }));
  const ratio = (name: Door['name'], isTls: boolean): number =>
    round((speed(name, isTls)?.speed ?? Number.NaN) / (speed('direct', isTls)?.speed ?? Number.NaN));
  return {
    postgresqlDirectMiBPerSecond: Math.round(speed('direct', false)?.speed ?? Number.NaN),
    postgresqlTransferRatio: ratio('gateway', false),
    postgresqlTlsTransferRatio: ratio('gateway', true),
    ...(speed('PgBouncer', false) === undefined
      ? {}
      : {
          postgresqlPgBouncerTransferRatio: ratio('PgBouncer', false),
          postgresqlTlsPgBouncerTransferRatio: ratio('PgBouncer', true),
        }),
  };
}

async function measureConnections(all: readonly Door[], connector: Connector): Promise<Figures> {
  const plain = all.filter(({ isTls }) => !isTls);
  // The first ones derive keys from passwords, and are compiled while they run.
  for (const door of plain) await connector.connect(door, connectors, seconds * 4);
  const seen = await inTurns(plain, async (door) => {
    const before = door.cpu();
    const { perSecond, latencies } = await connector.connect(door, connectors, seconds);
    const cpu = (door.cpu() - before) / latencies.length;
    const one = await connector.connect(door, 1, seconds);
    return { perSecond, cpu, p50: median(one.latencies) };
  });
  const [direct, pooler, gateway] = [seen('direct', false), seen('PgBouncer', false), seen('gateway', false)];
  const [directMs, gatewayMs] = [direct?.p50 ?? Number.NaN, gateway?.p50 ?? Number.NaN];
  return {
    postgresqlConnectionsPerSecond: Math.round(gateway?.perSecond ?? Number.NaN),
    postgresqlDirectConnectionsPerSecond: Math.round(direct?.perSecond ?? Number.NaN),
    postgresqlConnectionsRatio: round((gateway?.perSecond ?? Number.NaN) / (direct?.perSecond ?? Number.NaN)),
    ...(pooler === undefined ? {} : { postgresqlPgBouncerConnectionsPerSecond: Math.round(pooler.perSecond) }),
    postgresqlConnectionCpuMs: round(gateway?.cpu ?? Number.NaN),
    postgresqlDirectConnectMs: round(directMs, 1),
    postgresqlConnectAddedMs: round(gatewayMs - directMs, 1),
  };
}

/** Comes first: what a gateway gives back meanwhile of the memory for earlier work would hide what sessions take. */
async function measureIdle(all: readonly Door[]): Promise<Figures> {
  const door = all.find(({ name, isTls }) => name === 'gateway' && !isTls);
  if (door === undefined) return {};
  const connector = await Connector.start();
  try {
    const before = await door.rss();
    for (let count = 0; count < idleSessions; count += 50) await connector.connect(door, 50, 0);
    // Their beginnings are written by then.
    await sleep(2000);
    const taken = ((await door.rss()) - before) / 2 ** 20;
    return { postgresqlIdleSessions: idleSessions, postgresqlIdleMiB: round(taken, 1) };
  } finally {
    connector.stop();
  }
}

const notes: Measured['notes'] = {
  postgresqlSelectMicros: 'prepared SELECT of one row by pgbench, one client, directly: p50 in microseconds',
  postgresqlAddedMicros: 'what the gateway, a process of its own with its store in PostgreSQL, adds to it',
  postgresqlAddedRatio: 'that ÷ what PgBouncer adds to it, with a server connection for each client',
  postgresqlFloorAddedMicros: 'what a process of Node adds that only passes bytes on, and follows nothing: the floor',
  postgresqlTlsAddedMicros: 'the same with TLS to the client',
  postgresqlTlsAddedRatio: 'that ÷ what PgBouncer adds, with TLS too',
  postgresqlTlsFloorAddedMicros: 'what a process of Node adds that only passes bytes on, with TLS too: the floor',
  postgresqlCpuMicros: `CPU of the gateway a transaction, ${manyClients} clients`,
  postgresqlCpuRatio: 'that ÷ CPU of PgBouncer',
  postgresqlFloorCpuMicros: 'CPU of the process of Node that only passes bytes on: the floor',
  postgresqlFloorCpuRatio: 'CPU of the gateway ÷ that floor',
  postgresqlTlsCpuMicros: 'CPU of the gateway a transaction with TLS to the clients',
  postgresqlTlsCpuRatio: 'that ÷ CPU of PgBouncer, with TLS too',
  postgresqlTlsFloorCpuMicros: 'the same of the process of Node that only passes bytes on: the floor',
  postgresqlTlsFloorCpuRatio: 'CPU of the gateway with TLS ÷ that floor',
  postgresqlDirectMiBPerSecond: '1 GiB by COPY into psql, rows of 1 KiB, directly',
  postgresqlTransferRatio: 'the same through the gateway ÷ directly',
  postgresqlTlsTransferRatio: 'the same, TLS to the client in both',
  postgresqlPgBouncerTransferRatio: 'the same through PgBouncer ÷ directly',
  postgresqlTlsPgBouncerTransferRatio: 'the same, TLS to the client in both',
  postgresqlConnectionsPerSecond: `connections with SCRAM and one query through the gateway, ${connectors} at a time; each opens one to the server`,
  postgresqlDirectConnectionsPerSecond: 'the same directly: the floor, since each starts a process of the server',
  postgresqlConnectionsRatio: 'through the gateway ÷ directly',
  postgresqlPgBouncerConnectionsPerSecond: 'the same through PgBouncer, which keeps its connections to the server',
  postgresqlConnectionCpuMs: 'CPU of the gateway for each of them',
  postgresqlDirectConnectMs: 'one connection at a time with one query, directly: p50',
  postgresqlConnectAddedMs: 'what the gateway adds to it',
  postgresqlIdleSessions: 'sessions that are open and do nothing',
  postgresqlIdleMiB: 'resident memory of a gateway that just started which they take',
};

const bounds: Measured['bounds'] = {
  postgresqlAddedRatio: ['at most', 1.5],
  postgresqlTlsAddedRatio: ['at most', 2],
  postgresqlFloorCpuRatio: ['at most', 1.35],
  postgresqlTlsFloorCpuRatio: ['at most', 1.25],
  postgresqlTransferRatio: ['at least', 0.7],
  postgresqlTlsTransferRatio: ['at least', 0.5],
  postgresqlConnectionsRatio: ['at least', 0.5],
  postgresqlConnectAddedMs: ['at most', 10],
  postgresqlIdleMiB: ['at most', 150],
};
