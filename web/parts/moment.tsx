import { isWithinAnHour, moment, now, timeLeft } from '../browser/times.ts';

/** A moment, in the reader's time zone, with the exact one for those who ask. */
export function Moment({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at}>
      {moment(at)}
    </time>
  );
}

/** Shows a sentence of the service, with its times as the reader has them. */
export function Told({ text }: { readonly text: string }) {
  const parts = text.split(/(\d{4}-\d\d-\d\dT[\d:.]+Z)/);
  return (
    <>
      {parts.map((part, index) => {
        const isTime = index % 2 === 1 && !Number.isNaN(Date.parse(part));
        return isTime ? <Moment key={index} at={part} /> : part;
      })}
    </>
  );
}

/** Shows the end of something, and the time left; it counts down in the last hour. */
export function Until({ at }: { readonly at: string }) {
  const soon = isWithinAnHour(at, now.value);
  return (
    <span class={soon ? 'until soon' : 'until'}>
      until <Moment at={at} /> <span class="left">({timeLeft(at, now.value)} left)</span>
    </span>
  );
}
