import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { SavedSessions } from '../../../cli/person/saved-sessions.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const session = { token: 'rolecall_session_1', expiresAt: '2026-12-01T00:00:00.000Z', person: 'ada' };

describe('the sessions of the command line', () => {
  it('are kept one for each service, whatever slashes end its address', () => {
    using folder = temporaryFolder();
    const sessions = new SavedSessions({ XDG_CONFIG_HOME: folder.path });
    assert.equal(sessions.find('https://one.example'), undefined);
    sessions.save('https://one.example/', session);
    sessions.save('https://two.example', { ...session, person: 'ben' });
    assert.deepEqual(sessions.find('https://one.example'), session);
    sessions.remove('https://two.example/');
    assert.equal(sessions.find('https://two.example'), undefined);
    assert.deepEqual(sessions.find('https://one.example'), session);
  });

  it('can be read by their user alone', () => {
    using folder = temporaryFolder();
    const sessions = new SavedSessions({ XDG_CONFIG_HOME: folder.path });
    sessions.save('https://one.example', session);
    assert.equal(statSync(sessions.file).mode & 0o777, 0o600);
    assert.equal(statSync(path.dirname(sessions.file)).mode & 0o777, 0o700);
  });

  it('are not shown where their file is damaged', () => {
    using folder = temporaryFolder();
    const sessions = new SavedSessions({ XDG_CONFIG_HOME: folder.path });
    sessions.save('https://one.example', session);
    writeFileSync(sessions.file, '{"https://one.example": {"token": "rolecall_session_1"');
    assert.throws(() => sessions.find('https://one.example'), /damaged: remove it, and run rolecall login again$/);
  });
});
