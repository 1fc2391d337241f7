"""Would this pod run on that node? The filters of kube-scheduler, over classes of pods and rows of nodes."""
