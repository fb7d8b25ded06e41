// axios: a GET and a JSON POST. Usage: node axios.mjs BASE
import axios from 'axios';
const base = process.argv[2];
const text = await axios.get(`${base}/text`);
console.log(text.status, text.headers['x-origin'], text.data.trim());
const echo = await axios.post(`${base}/echo`, { hello: 'world' });
console.log(echo.status, JSON.stringify(echo.data));
