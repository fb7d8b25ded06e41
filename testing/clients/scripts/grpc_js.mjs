// gRPC as its own library speaks it: what a server says of a call, and above all how it fails, reaches the caller.
// Usage: node grpc_js.mjs serve KEY CERTIFICATE   prints its port
//        node grpc_js.mjs call HOST:PORT          prints a line per case and how many of them held
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
const grpc = createRequire(import.meta.url)('@grpc/grpc-js');

const json = { requestSerialize: pack, requestDeserialize: unpack, responseSerialize: pack, responseDeserialize: unpack };
function pack(value) { return Buffer.from(JSON.stringify(value)); }
function unpack(bytes) { return JSON.parse(bytes.toString()); }
function method(name, requestStream, responseStream) {
  return { path: `/probe.Probe/${name}`, requestStream, responseStream, ...json };
}
const service = {
  Echo: method('Echo', false, false),
  Fail: method('Fail', false, false),
  Count: method('Count', false, true),
  Sum: method('Sum', true, false),
  Talk: method('Talk', true, true),
  Wait: method('Wait', false, false),
  Late: method('Late', false, true),
};

function failure(code, details) {
  const metadata = new grpc.Metadata();
  metadata.set('why', 'the reason');
  metadata.set('detail-bin', Buffer.from([0, 1, 254, 255]));
  return { code, details, metadata };
}

function serve(key, certificate) {
  const server = new grpc.Server();
  server.addService(service, {
    Echo: (call, answer) => {
      const trailer = new grpc.Metadata();
      trailer.set('asked', String(call.metadata.get('asked')[0] ?? ''));
      answer(null, call.request, trailer);
    },
    Fail: (call, answer) => answer(failure(call.request.code, `failed with ${call.request.code}: ä`)),
    Count: (call) => {
      for (let i = 0; i < call.request.to; i++) call.write({ i });
      call.end();
    },
    Sum: (call, answer) => {
      let sum = 0;
      call.on('data', (value) => { sum += value.n; });
      call.on('end', () => answer(null, { sum }));
    },
    Talk: (call) => {
      call.on('data', (value) => call.write(value));
      call.on('end', () => call.end());
    },
    Wait: () => {},
    Late: (call) => {
      call.write({ i: 0 });
      call.emit('error', failure(grpc.status.DATA_LOSS, 'after one'));
    },
  });
  const credentials = grpc.ServerCredentials.createSsl(null, [
    { private_key: readFileSync(key), cert_chain: readFileSync(certificate) }]);
  server.bindAsync('127.0.0.1:0', credentials, (error, port) => {
    if (error) throw error;
    console.log(port);
  });
}

async function call(to) {
  const roots = process.env.SSL_CERT_FILE ? readFileSync(process.env.SSL_CERT_FILE) : null;
  const client = new (grpc.makeGenericClientConstructor(
    { ...service, Missing: method('Missing', false, false) }, 'Probe'))(to, grpc.credentials.createSsl(roots));
  const unary = (name, request, metadata = new grpc.Metadata(), options = {}) => new Promise((done) => {
    let trailer;
    client[name](request, metadata, options, (error, value) => setImmediate(() => done({ error, value, trailer })))
      .on('status', (status) => { trailer = status.metadata; });
  });
  const stream = (call) => new Promise((done) => {
    const seen = [];
    call.on('data', (value) => seen.push(value));
    call.on('error', (error) => done({ seen, error }));
    call.on('end', () => done({ seen }));
  });
  let held = 0;
  let count = 0;
  const check = (name, isTrue) => {
    count++;
    held += isTrue ? 1 : 0;
    console.log(isTrue ? 'ok  ' : 'FAIL', name);
  };

  const asked = new grpc.Metadata();
  asked.set('asked', 'yes');
  const echoed = await unary('Echo', { text: 'hello' }, asked);
  check('unary', echoed.value?.text === 'hello' && String(echoed.trailer?.get('asked')[0]) === 'yes');
  for (let code = 1; code <= 16; code++) {
    const { error } = await unary('Fail', { code });
    check(grpc.status[code], error?.code === code && error.details === `failed with ${code}: ä`
      && error.metadata.get('why')[0] === 'the reason'
      && Buffer.compare(error.metadata.get('detail-bin')[0] ?? Buffer.alloc(0), Buffer.from([0, 1, 254, 255])) === 0);
  }
  check('method that is not there', (await unary('Missing', {})).error?.code === grpc.status.UNIMPLEMENTED);
  const counted = await stream(client.Count({ to: 1000 }));
  check('stream of answers', counted.seen.length === 1000 && counted.seen[999].i === 999);
  const late = await stream(client.Late({}));
  check('failure after an answer', late.seen.length === 1 && late.error?.code === grpc.status.DATA_LOSS);
  const summed = await new Promise((done) => {
    const sum = client.Sum((error, value) => done(value?.sum));
    for (let n = 1; n <= 100; n++) sum.write({ n });
    sum.end();
  });
  const talk = client.Talk();
  const talked = stream(talk);
  for (let n = 0; n < 100; n++) talk.write({ n, text: 'x'.repeat(n * 100) });
  talk.end();
  check('streams of requests', summed === 5050 && (await talked).seen.length === 100);
  const waited = await unary('Wait', {}, new grpc.Metadata(), { deadline: Date.now() + 2000 });
  check('deadline', waited.error?.code === grpc.status.DEADLINE_EXCEEDED);
  console.log(`${held}/${count}`);
  client.close();
  process.exitCode = held === count ? 0 : 1;
}

const [mode, ...rest] = process.argv.slice(2);
if (mode === 'serve') serve(...rest); else await call(...rest);
