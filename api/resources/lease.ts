import { z } from 'zod';
import { line, shortId, timestamp } from '../fields.ts';

export const leaseId = shortId('l7Tq1mZx9VbN').describe('identifier of the lease');

const holder = line(200, 'rolecall apply, deploy@runner-7').describe('who holds it, for people');

/** The shortest and the longest time for which a lease is taken or renewed, in seconds. */
export const leaseSeconds = { min: 5, max: 300 } as const;

const seconds = z
  .int()
  .min(leaseSeconds.min)
  .max(leaseSeconds.max)
  .meta({ description: 'for how long, from now; renew it before it ends', examples: [60] });

export const leaseRequest = z.strictObject({ holder, seconds });

export const leaseRenewal = z.strictObject({ seconds });

const times = {
  holder,
  takenAt: timestamp().describe('since when'),
  expiresAt: timestamp('2026-11-02T08:31:00.000Z').describe('when it ends, unless it is renewed'),
};

export const leaseSchema = z
  .object({ id: leaseId, ...times })
  .meta({ id: 'Lease', description: 'The lease on the workspace, as its holder has it.' });

const shownLease = z
  .object(times)
  .meta({ id: 'ShownLease', description: 'The lease on the workspace, as others see it.' });

export const currentLease = z.object({
  lease: shownLease.nullable().describe('null where no one holds it'),
});

export type Lease = z.output<typeof leaseSchema>;
