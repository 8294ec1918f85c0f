import assert from 'node:assert/strict';
import type { Service } from '@rolecall/server';

/** The page of metrics, from the listener of its own. */
export async function metricsOf({ metricsUrl }: Service): Promise<string> {
  assert.ok(metricsUrl !== undefined);
  const answer = await fetch(metricsUrl);
  assert.equal(answer.status, 200);
  return answer.text();
}

/** The value of a line of the page; undefined where there is none. @param series as in `name{label="value"}` */
export function valueOf(page: string, series: string): number | undefined {
  const line = page.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}
