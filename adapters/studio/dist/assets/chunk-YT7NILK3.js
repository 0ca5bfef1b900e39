import{a as e}from"/assets/chunk-2MXNPJRO.js";var{plural:o,number:r,list:t,weekday:p}=e("en");export{o as a,r as b,t as c,p as d};
