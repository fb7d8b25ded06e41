// Many event streams at once. Usage: node sse.mjs URL STREAMS; prints how many ended whole and how many events came.
import https from 'node:https';
const [url, count] = [process.argv[2], Number(process.argv[3])];
const one = (i) => new Promise((resolve) => {
  https.get(`${url}?stream=${i}`, { agent: false }, (response) => {
    let text = '';
    response.on('data', (chunk) => { text += chunk; });
    response.on('end', () => resolve([response.statusCode === 200 && text.endsWith(`data: last of ${i}\n\n`), text.split('\n\n').length - 1]));
    response.on('error', () => resolve([false, 0]));
  }).on('error', () => resolve([false, 0]));
});
const all = await Promise.all(Array.from({ length: count }, (_, i) => one(i)));
console.log(all.filter(([whole]) => whole).length, all.reduce((sum, [, events]) => sum + events, 0));
