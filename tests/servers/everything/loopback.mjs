// Keeps the server on this machine: it would listen on every interface, and one
// of its tools shows the environment. Used as `node --import ./loopback.mjs …`.

import { Server } from 'node:net';

const listen = Server.prototype.listen;
Server.prototype.listen = function (port, ...rest) {
  const address = typeof port === 'object' ? port : { port };
  const callback = rest.find((argument) => typeof argument === 'function');
  return listen.call(this, { ...address, host: '127.0.0.1' }, callback);
};
