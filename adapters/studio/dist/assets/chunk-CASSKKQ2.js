import{a as e}from"/assets/chunk-2MXNPJRO.js";var{plural:r,number:t,list:n,weekday:p}=e("es");export{r as a,t as b,n as c,p as d};
