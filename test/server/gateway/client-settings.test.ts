import assert from 'node:assert/strict';
import { it } from 'node:test';
import { clientSettings } from '../../../server/gateway/client-settings.ts';

const login = { user: 'ada', database: 'shop', password: 'secret' };

it('what clients copy demands TLS and channel binding beyond this machine', () => {
  const gateway = { host: 'gw.example.com', port: 6432 };
  assert.deepEqual(clientSettings('postgresql', { gateway, ...login }), {
    uri: 'postgresql://ada:secret@gw.example.com:6432/shop?sslmode=require&channel_binding=require',
    jdbc: 'jdbc:postgresql://gw.example.com:6432/shop?user=ada&password=secret&sslmode=require&channelBinding=require',
    command: "psql 'postgresql://ada@gw.example.com:6432/shop?sslmode=require&channel_binding=require'",
  });
  const near = clientSettings('postgresql', { gateway: { host: '::1', port: 6432 }, ...login });
  assert.equal(near?.uri, 'postgresql://ada:secret@[::1]:6432/shop');
  assert.equal(clientSettings('sqlite', { gateway, ...login }), undefined);
});

it('what people paste into a shell has nothing in it that the shell reads', () => {
  const evil = `a'; touch /tmp/x; echo "$(id)" \`id\` !1 \\ ~ *`;
  const { command = '' } =
    clientSettings('postgresql', { gateway: { host: 'gw', port: 1 }, ...login, user: evil, database: evil }) ?? {};
  assert.match(command, /^psql '[\w:/@?=&.%-]+'$/);
});
