// fetch(): a GET and a POST. Usage: node fetch.mjs BASE
const base = process.argv[2];
const text = await fetch(`${base}/text`);
console.log(text.status, text.headers.get('x-origin'), (await text.text()).trim());
const echo = await fetch(`${base}/echo?q=1`, { method: 'POST', body: 'x'.repeat(100000), headers: { authorization: 'Bearer sk-test-fetch' } });
console.log(echo.status, await echo.text());
